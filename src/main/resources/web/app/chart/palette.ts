// Colours of curves, found by search: any two differ by at least 26 on the light page and 18 on the dark one (CIE
// 1976), also with colour blindness (Machado's matrices of 2009), and each has a contrast of 3 to 1 with the background.
// After the last colour they repeat with dashes.

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

// Read from the style sheet, which differs between light and dark.
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
