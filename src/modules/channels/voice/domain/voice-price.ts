/** Billing blocks, seconds (reference/voice#prices). */
export const VOICE_PLANS = [15, 30] as const;
export type VoicePlan = (typeof VOICE_PLANS)[number];

/** Credits a contact of the shortest audio. */
export const LEAST_CREDITS = 1;

/**
 * Credits a contact: whole blocks, rounded up, at least 1 (reference/voice#prices).
 * @param milliseconds duration of the audio
 * @param plan seconds of a block
 */
export const creditsOf = (milliseconds: number, plan: VoicePlan): number =>
  Math.max(LEAST_CREDITS, Math.ceil(milliseconds / (plan * 1_000)));
