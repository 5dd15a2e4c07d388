import { lazy, Suspense } from 'react';
import type { ChartProperties } from './chart-properties.js';
import { formatTime, useTimeZone } from './values.js';

const Drawing = lazy(() => import('./chart-drawing.js'));

/** Lines over time. uPlot draws them and is loaded with the first chart; the same numbers stand in a table that can be opened. */
export function Chart(properties: ChartProperties) {
  const { title, times, lines, height = 220, format = String } = properties;
  const timeZone = useTimeZone();
  if (times.length === 0 || lines.length === 0) {
    return (
      <figure className="chart">
        <figcaption>{title}</figcaption>
        <p className="muted">Nothing to show yet</p>
      </figure>
    );
  }
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <Suspense fallback={<div style={{ height }} className="loading" />}>
        <Drawing {...properties} />
      </Suspense>
      <details>
        <summary>As a table</summary>
        <div className="table-box" role="group" aria-label={`${title}, as a table`} tabIndex={0}>
          <table className="table plain">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {lines.map(({ label }) => (
                  <th key={label} scope="col" className="end">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, at) => (
                <tr key={time}>
                  <th scope="row">{formatTime(time * 1000, timeZone)}</th>
                  {lines.map(({ label, values }) => {
                    const value = values[at];
                    return (
                      <td key={label} className="end">
                        {value === null || value === undefined ? '–' : format(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
