import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { theme } from '../app/preferences.ts';
import { DAY_MS, utcDayOf } from '../days.ts';
import { formatDayOfMonth, formatNumber } from '../format.ts';
import { useLatest } from './use-latest.ts';

export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A custom property of the tokens. */
  readonly color: '--accent' | '--good' | '--soft';
  /** Dashed lines are for comparison. */
  readonly isDashed?: boolean;
}

const HEIGHT = 260;
const BRUSH_MIN = 6;

const secondsOf = (day: string): number => Date.parse(day) / 1000;
/** The UTC day that begins next to a time. */
const nearestDay = (seconds: number): string => utcDayOf(Math.round((seconds * 1000) / DAY_MS) * DAY_MS);

/** The colour that a custom property has at present. A canvas cannot read `light-dark()` itself. */
const colorOf = (host: HTMLElement, property: string): string => {
  const before = host.style.color;
  host.style.color = `var(${property})`;
  const { color } = getComputedStyle(host);
  host.style.color = before;
  return color;
};

/** Values per UTC day as lines. Its table has to stand beside it. @param onBrush gets the first and last day of a dragged range. */
export const LineChart = ({
  label,
  days,
  lines,
  onBrush,
}: {
  readonly label: string;
  readonly days: readonly string[];
  readonly lines: readonly Line[];
  readonly onBrush: (from: string, to: string) => void;
}) => {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(undefined);
  const brush = useLatest(onBrush);
  const data: UPlot.AlignedData = [days.map(secondsOf), ...lines.map(({ values }) => [...values])];
  const latestData = useLatest(data);
  const latestLines = useLatest(lines);
  // Only another set of lines needs another chart.
  const shape = lines.map(({ label: name }) => name).join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => {
    const host = frame.current;
    if (!host) return undefined;
    const axis = { stroke: () => colorOf(host, '--soft'), grid: { stroke: () => colorOf(host, '--line'), width: 1 } };
    const plot = new UPlot(
      {
        width: host.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'UTC'),
        legend: { live: false },
        cursor: { drag: { x: true, y: false, setScale: false }, y: false },
        scales: { y: { range: (_, min, max) => [Math.min(0, min), Math.max(1, max)] } },
        axes: [
          {
            ...axis,
            ticks: { show: false },
            values: (_, seconds) => seconds.map((one) => formatDayOfMonth(nearestDay(one))),
          },
          {
            ...axis,
            ticks: { show: false },
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1e6, 1e7],
            size: 56,
            values: (_, values) => values.map(formatNumber),
          },
        ],
        series: [
          {},
          ...latestLines.current.map(({ label: name, color, isDashed }) => ({
            label: name,
            stroke: () => colorOf(host, color),
            width: 2,
            ...(isDashed && { dash: [5, 5] }),
            points: { show: (one: UPlot) => (one.data[0]?.length ?? 0) < 3 },
          })),
        ],
        hooks: {
          setSelect: [
            (one) => {
              const { left, width } = one.select;
              if (width < BRUSH_MIN) return;
              const [from, to] = [one.posToVal(left, 'x'), one.posToVal(left + width, 'x')];
              one.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              brush.current(nearestDay(from), nearestDay(to));
            },
          ],
        },
      },
      latestData.current,
      host,
    );
    chart.current = plot;
    const sizes = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }));
    sizes.observe(host);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => plot.redraw();
    scheme.addEventListener('change', redraw);
    const unfollow = theme.subscribe(redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      unfollow();
      sizes.disconnect();
      plot.destroy();
      chart.current = undefined;
    };
  }, [shape]);

  const key = JSON.stringify(data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the data is new when its text is.
  useEffect(() => chart.current?.setData(latestData.current), [key]);

  return <div ref={frame} className="line-chart" role="img" aria-label={label} />;
};
