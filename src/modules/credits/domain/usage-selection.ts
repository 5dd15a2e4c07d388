import type { UsageRange } from './usage-range.js';

/** By what usage is told apart. */
export const USAGE_GROUPS = ['day', 'channel', 'prefix', 'campaign', 'sender'] as const;
/** The same for staff. */
export const STAFF_USAGE_GROUPS = [...USAGE_GROUPS, 'account'] as const;

export type UsageGroup = (typeof STAFF_USAGE_GROUPS)[number];

/** Which usage is asked for. */
export interface UsageSelection extends UsageRange {
  group: UsageGroup;
}
