/** Billing blocks, seconds (reference/voice#prices). */
export const VOICE_PLANS = [15, 30] as const;
export type VoicePlan = (typeof VOICE_PLANS)[number];

/** Of the shortest audio. */
export const FEWEST_BLOCKS = 1;

/**
 * Blocks that a contact is charged, each of them a credit where no rate plan says otherwise: whole ones, rounded up, at least 1
 * (reference/voice#prices).
 * @param milliseconds duration of the audio
 * @param plan seconds of a block
 */
export const blocksOf = (milliseconds: number, plan: VoicePlan): number =>
  Math.max(FEWEST_BLOCKS, Math.ceil(milliseconds / (plan * 1_000)));
