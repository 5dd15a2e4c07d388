import type { AudioDraft } from './persistence/audio-store.js';

/** Audio that is kept: the bytes that are priced, reviewed by staff and played to the recipients. */
export interface StoredAudio {
  id: number;
  /** where carriers and browsers fetch it: stable, and not to be guessed */
  url: string;
  /** duration, to the millisecond */
  milliseconds: number;
  mime: string;
}

/** Audio of a request that may still be refused; `AudioLibrary.keep` makes it stay, at the same URL. */
export interface DraftedAudio extends StoredAudio {
  readonly draft: AudioDraft;
}

/** Longest audio of a campaign (reference/voice#duration), milliseconds. */
export const LONGEST_MS = 120_000;
