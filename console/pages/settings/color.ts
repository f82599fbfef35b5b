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
