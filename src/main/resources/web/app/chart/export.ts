// Exports a curve as an image, or its points as a table.

import type { Curve } from "./curve";

function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

export function downloadPicture(name: string, picture: HTMLCanvasElement): void {
  picture.toBlob((blob) => blob && download(name, blob), "image/png");
}

export function downloadTable(name: string, curves: readonly { job: string; curve: Curve }[]): void {
  download(name, new Blob([tableOf(curves)], { type: "text/csv" }));
}

// A value that is not finite is left empty, and counted in the last column.
export function tableOf(curves: readonly { job: string; curve: Curve }[]): string {
  const rows = ["job,first_step,last_step,min,mean,max,time,not_finite"];
  for (const { job, curve } of curves) {
    curve.firstStep.forEach((first, i) => {
      const millis = curve.millis[i];
      const time = millis ? new Date(millis).toISOString() : "";
      const values = [curve.min[i]!, curve.mean[i]!, curve.max[i]!].map((value) =>
        Number.isFinite(value) ? value : "",
      );
      rows.push([job, first, curve.lastStep[i], ...values, time, curve.notFinite[i]].join(","));
    });
  }
  return rows.join("\n") + "\n";
}
