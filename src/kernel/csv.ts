/** What a spreadsheet would take for the start of a formula; some take the full-width signs for the plain ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const TO_BE_QUOTED = /[",\r\n]/;

/** Ends a line of a CSV file. */
export const CSV_LINE_END = '\r\n';

/** A field after RFC 4180; an apostrophe before it keeps spreadsheets from calculating what a carrier or a callee wrote. */
export function csvField(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return TO_BE_QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of a CSV file. */
export const csvLine = (values: readonly (string | number | null | undefined)[]): string =>
  values.map(csvField).join(',') + CSV_LINE_END;
