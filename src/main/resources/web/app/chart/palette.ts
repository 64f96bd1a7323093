// Colours of curves, chosen by search: any two differ by 26 or more on the light page and by 18 on the dark one (CIE
// 1976), also as people see them who lack one of the three kinds of cones (by Machado's matrices of 2009), and each has
// a contrast of 3 to 1 with the sheet. Past the last one they begin again with dashes.

const COLOURS = 8;
const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export interface Palette {
  ink: string;
  quiet: string;
  line: string;
  sheet: string;
  accent: string;
  failed: string;
  font: string;
  colour(place: number): string;
  dash(place: number): readonly number[];
}

// What the style sheet says now: it differs between light and dark.
export function paletteOf(element: HTMLElement): Palette {
  const style = getComputedStyle(element);
  const value = (name: string): string => style.getPropertyValue("--" + name).trim();
  const colours = Array.from({ length: COLOURS }, (_, i) => value(`series-${i}`));
  return {
    ink: value("ink"),
    quiet: value("quiet"),
    line: value("line"),
    sheet: value("sheet"),
    accent: value("accent"),
    failed: value("failed"),
    font: style.fontFamily,
    colour: (place) => colours[place % COLOURS]!,
    dash: (place) => DASHES[Math.floor(place / COLOURS) % DASHES.length]!,
  };
}

export function swatchClass(place: number): string {
  return `swatch series-${place % COLOURS}`;
}
