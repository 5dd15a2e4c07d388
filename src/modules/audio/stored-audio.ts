/** Audio that is kept: the bytes that are priced, heard at the desk and played to those who are called. */
export interface StoredAudio {
  id: number;
  /** where carriers and browsers fetch it: stable, and not to be guessed */
  url: string;
  /** duration, to the millisecond */
  milliseconds: number;
  mime: string;
}

/** Longest audio of a campaign (spec 8), milliseconds. */
export const LONGEST_MS = 120_000;
