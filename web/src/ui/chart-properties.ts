/** One line of a chart; `values` stand beside the chart's `times`, null = nothing known. */
export interface Line {
  label: string;
  values: readonly (number | null)[];
}

export interface ChartProperties {
  /** what it shows, for those who do not see it */
  title: string;
  /** seconds since the epoch, rising */
  times: readonly number[];
  lines: readonly Line[];
  /** how a value is written: `12 %`, `340/s` */
  format?: (value: number) => string;
  height?: number;
  /** shares: the scale goes from 0 to 1 */
  isShare?: boolean;
}
