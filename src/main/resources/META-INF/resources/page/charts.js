// Loss and accuracy over time, drawn by ECharts. Tooltips are drawn on the canvas too, so no markup is made of data.

import * as echarts from "/_static/echarts/6.0.0/dist/echarts.esm.min.js";
import { byId } from "./dom.js";
import * as format from "./format.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    ["ink", "quiet", "line", "accent", "band", "sheet"].map((name) => [name, style.getPropertyValue("--" + name).trim()]),
  );
}

function frame(colour, xName, yName) {
  const text = { color: colour.quiet, fontSize: 12 };
  const axis = (name) => ({
    type: "value",
    name,
    nameTextStyle: text,
    axisLabel: text,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: colour.line } },
  });
  return {
    animation: false,
    aria: { enabled: true },
    grid: { left: 8, right: 16, top: 28, bottom: 26, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
    tooltip: {
      trigger: "axis",
      renderMode: "richText",
      backgroundColor: colour.sheet,
      borderColor: colour.line,
      textStyle: { ...text, color: colour.ink },
    },
    xAxis: { ...axis(xName), nameLocation: "middle", nameGap: 24, splitLine: { show: false } },
    yAxis: axis(yName),
  };
}

const finite = (value) => (typeof value === "number" ? value : null);

// The area from the least to the greatest value, as one polygon for each stretch of finite ones. (ECharts' stacked
// lines need a category axis.)
function band(middle, points, colour) {
  const stretches = [[]];
  middle.forEach((x, i) => {
    if (finite(points.max[i]) === null || finite(points.min[i]) === null) stretches.push([]);
    else stretches.at(-1).push(i);
  });
  const outline = (api, stretch) => [
    ...stretch.map((i) => api.coord([middle[i], points.max[i]])),
    ...stretch.toReversed().map((i) => api.coord([middle[i], points.min[i]])),
  ];
  return {
    type: "custom",
    silent: true,
    encode: { x: 0, y: [1, 2] },
    data: middle.map((x, i) => [x, finite(points.min[i]), finite(points.max[i])]),
    renderItem: ({ dataIndex }, api) =>
      dataIndex > 0
        ? null
        : {
            type: "group",
            children: stretches
              .filter((stretch) => stretch.length > 1)
              .map((stretch) => ({
                type: "polygon",
                shape: { points: outline(api, stretch) },
                style: { fill: colour.band },
              })),
          },
  };
}

function lossOption(points) {
  const colour = colours();
  const option = frame(colour, "step", "");
  const middle = points.firstStep.map((first, i) => (first + points.lastStep[i]) / 2);
  option.xAxis.min = points.firstStep[0] ?? 0;
  option.xAxis.max = points.lastStep.at(-1) ?? 1;
  option.xAxis.axisLabel.showMaxLabel = false;
  option.yAxis.scale = true;
  option.yAxis.axisLabel = { ...option.yAxis.axisLabel, formatter: format.tick };
  option.tooltip.formatter = (items) => {
    const i = items[0].dataIndex;
    const [first, last] = [points.firstStep[i], points.lastStep[i]];
    const [min, mean, max] = [points.min[i], points.mean[i], points.max[i]].map(format.loss);
    return first === last
      ? `step ${format.integer(first)}\nloss ${mean}`
      : `steps ${format.integer(first)} to ${format.integer(last)}\nmean ${mean}\nleast ${min}\ngreatest ${max}`;
  };
  option.series = [
    band(middle, points, colour),
    {
      type: "line",
      name: "mean loss",
      symbol: "none",
      lineStyle: { width: 1.5, color: colour.accent },
      itemStyle: { color: colour.accent },
      data: middle.map((x, i) => [x, finite(points.mean[i])]),
    },
  ];
  return option;
}

function accuracyOption(tests) {
  const colour = colours();
  const option = frame(colour, "epoch", "");
  Object.assign(option.xAxis, { minInterval: 1, min: 0, max: Math.max(1, tests.at(-1)?.epoch ?? 1) });
  Object.assign(option.yAxis, { min: 0, max: 1 });
  option.yAxis.axisLabel = { ...option.yAxis.axisLabel, formatter: (value) => Math.round(100 * value) + " %" };
  option.tooltip.formatter = ([{ dataIndex: i }]) =>
    `epoch ${tests[i].epoch}\naccuracy ${format.accuracy(tests[i])}\ntest loss ${format.loss(tests[i].testLoss)}`;
  const interval = {
    min: tests.map((test) => (test.accuracyHigh > 0 ? test.accuracyLow : null)),
    max: tests.map((test) => (test.accuracyHigh > 0 ? test.accuracyHigh : null)),
  };
  option.series = [
    band(
      tests.map((test) => test.epoch),
      interval,
      colour,
    ),
    {
      type: "line",
      name: "test accuracy",
      symbol: "circle",
      symbolSize: 7,
      showAllSymbol: tests.length <= 50,
      lineStyle: { width: 2, color: colour.accent },
      itemStyle: { color: colour.accent },
      data: tests.map((test) => [test.epoch, finite(test.testAccuracy)]),
    },
  ];
  return option;
}

function chart(id, optionOf) {
  let drawn;
  let data;
  const draw = () => data && drawn.setOption(optionOf(data), true);
  return (newData) => {
    data = newData;
    if (!drawn) {
      drawn = echarts.init(byId(id));
      new ResizeObserver(() => drawn.resize()).observe(byId(id));
      dark.addEventListener("change", draw);
    }
    draw();
  };
}

export const drawLosses = chart("loss-chart", lossOption);
export const drawAccuracy = chart("accuracy-chart", accuracyOption);
