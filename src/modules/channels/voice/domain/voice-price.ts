/** Billing blocks, seconds (reference/voice#prices). */
export const VOICE_PLANS = [15, 30] as const;
export type VoicePlan = (typeof VOICE_PLANS)[number];

/**
 * Credits a contact: whole blocks, rounded up, at least 1 (reference/voice#prices).
 * @param milliseconds duration of the audio
 * @param plan seconds of a block
 */
export const creditsOf = (milliseconds: number, plan: VoicePlan): number =>
  Math.max(1, Math.ceil(milliseconds / (plan * 1_000)));
