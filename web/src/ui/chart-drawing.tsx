import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../app/theme.js';
import type { ChartProperties } from './chart-properties.js';
import { useTimeZone } from './values.js';

/** Colours of the lines, of tokens.css. */
const COLOURS = 8;

const DAY_S = 86_400;

/** Times below a chart as everywhere else: `14:05`, and the day at midnight. */
function clock(timeZone: string): uPlot.Axis.DynamicValues {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short' });
  return (_plot, ticks, _axis, _space, step) =>
    ticks.map((tick) => {
      const moment = new Date(tick * 1000);
      const text = time.format(moment);
      return step >= DAY_S || text === '00:00' ? day.format(moment) : text;
    });
}

/** A value between two gaps is no line: it is drawn as a point, or nothing would show of it. */
const lonely: uPlot.Series.Points.Filter = (plot, at) => {
  const values = plot.data[at] ?? [];
  const isThere = (index: number) => typeof values[index] === 'number';
  return [...values.keys()].filter((index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1));
};

/** The drawing of a chart; its table is the way for readers, so this is a picture without words. */
export default function Drawing({ times, lines, format = String, height = 220, isShare = false }: ChartProperties) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = useRef<uPlot | null>(null);
  const data = useRef<uPlot.AlignedData>([[]]);
  const { isDark } = useTheme();
  const timeZone = useTimeZone();
  const names = lines.map(({ label }) => label).join('\n');
  const write = useRef(format);
  // before the drawing is made, and again with every change; new numbers leave the drawing, and the pointer's place in it
  useEffect(() => {
    write.current = format;
    data.current = [[...times], ...lines.map(({ values }) => [...values])];
    drawing.current?.setData(data.current);
  }, [times, lines, format]);

  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const axis = {
      stroke: colour('muted'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { stroke: colour('line'), width: 1 },
    };
    const said = (value: number | null) => (value === null ? '–' : write.current(value));
    const plot = new uPlot(
      {
        width: Math.max(200, box.clientWidth),
        height,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
        scales: { y: { range: (_plot, _low, high) => [0, isShare ? 1 : Math.max(1, (high || 0) * 1.05)] } },
        axes: [
          { ...axis, values: clock(timeZone) },
          { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => write.current(tick)) },
        ],
        series: [
          { value: '{DD} {MMM}, {HH}:{mm}' },
          ...names.split('\n').map((label, at) => ({
            label,
            stroke: colour(`line-${String((at % COLOURS) + 1)}`),
            width: 2,
            points: { show: false, filter: lonely },
            value: (_plot: uPlot, value: number | null) => said(value),
          })),
        ],
      },
      data.current,
      box,
    );
    drawing.current = plot;
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(200, box.clientWidth), height }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      plot.destroy();
      drawing.current = null;
    };
  }, [names, height, isShare, isDark, timeZone]);
  return <div ref={place} className="drawing" aria-hidden="true" />;
}
