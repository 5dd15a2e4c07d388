import { type Filter, useAddress } from '../ui/index.js';

/** How far back charts reach. */
export const RANGES = { hour: 'Last hour', day: 'Last day', month: 'Last month' } as const;

type Range = keyof typeof RANGES;

const isRange = (word: string | undefined): word is Range => word !== undefined && word in RANGES;

/** What the address says of it. */
export function useRange(usual: Range): Range {
  const { range } = useAddress()[0];
  return isRange(range) ? range : usual;
}

export const rangeFilter = (usual: Range): Filter => ({
  name: 'range',
  label: 'Time',
  kind: 'choice',
  options: Object.entries(RANGES),
  usual,
});
