/** `222 47% 11%` as `#rrggbb`, for the colour field of the browser; undefined while it is no colour. */
export const hexOf = (hsl: string): string | undefined => {
  const parts = /^\s*([\d.]+)\s+([\d.]+)%\s+([\d.]+)%\s*$/.exec(hsl);
  if (!parts) return undefined;
  const [hue = 0, saturation = 0, lightness = 0] = parts.slice(1).map(Number);
  const chroma = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100);
  const channel = (offset: number): string => {
    const at = (offset + hue / 30) % 12;
    const value = lightness / 100 - chroma * Math.max(-1, Math.min(at - 3, 9 - at, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
};

/** `#rrggbb` as hue, saturation and lightness. */
export const hslOf = (hex: string): string => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const max = Math.max(red, green, blue);
  const min = Math.min(red, green, blue);
  const chroma = max - min;
  const lightness = (max + min) / 2;
  const saturation = chroma === 0 ? 0 : chroma / (1 - Math.abs(2 * lightness - 1));
  const sextant = (): number => {
    if (chroma === 0) return 0;
    if (max === red) return ((green - blue) / chroma + 6) % 6;
    return max === green ? (blue - red) / chroma + 2 : (red - green) / chroma + 4;
  };
  return `${Math.round(sextant() * 60) % 360} ${Math.round(saturation * 100)}% ${Math.round(lightness * 100)}%`;
};

/** The relative luminance of a colour by WCAG; undefined while it is no colour. */
const luminanceOf = (hsl: string): number | undefined => {
  const hex = hexOf(hsl);
  if (hex === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** What WCAG AA asks of text. */
export const CONTRAST_MIN = 4.5;

/** The contrast of two colours by WCAG, from 1 to 21; undefined while one is no colour. */
export const contrastOf = (one: string, other: string): number | undefined => {
  const [first, second] = [luminanceOf(one), luminanceOf(other)];
  if (first === undefined || second === undefined) return undefined;
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
};

/** The first lightness, from a start on, at which a colour is readable on another. */
const readableOn = (background: string, hue: number, saturation: number, start: number, step: number): string => {
  let lightness = start;
  const color = () => `${hue} ${saturation}% ${lightness}%`;
  while (lightness > 5 && lightness < 95 && (contrastOf(color(), background) ?? 0) < CONTRAST_MIN) lightness += step;
  return color();
};

const WHITE = '0 0% 100%';

/** The colours of a theme that follow from the hue of its main colour, readable on one another. */
export const colorsFromHue = (hue: number): Readonly<Record<'light' | 'dark', Readonly<Record<string, string>>>> => {
  const light = readableOn(WHITE, hue, 70, 46, -1);
  const night = `${hue} 40% 10%`;
  const dark = readableOn(night, hue, 75, 62, 1);
  const [pale, deep] = [`${hue} 60% 93%`, `${hue} 40% 18%`];
  return {
    light: {
      primary: light,
      'primary-foreground': WHITE,
      ring: light,
      accent: pale,
      'accent-foreground': readableOn(pale, hue, 70, 22, -1),
    },
    dark: {
      primary: dark,
      'primary-foreground': night,
      ring: dark,
      accent: deep,
      'accent-foreground': readableOn(deep, hue, 50, 88, 1),
    },
  };
};
