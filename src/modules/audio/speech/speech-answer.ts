/** What a speech thread is asked. */
export interface SpeechJob {
  id: number;
  /** name of a voice of the engine */
  voice: string;
  /** as `spokenText` makes it */
  text: string;
  /** the thread stops as soon as the sound gets longer */
  mostMs: number;
}

/** What a speech thread answers. `samples`: 16 bits, 8,000 a second, whole milliseconds. */
export type SpeechAnswer =
  | { id: number; kind: 'spoken'; samples: Int16Array<ArrayBuffer> }
  | { id: number; kind: 'too_long' }
  | { id: number; kind: 'silent' }
  | { id: number; kind: 'failed'; reason: string };

/** All that comes from a speech thread; `ready` once, when the engine is loaded. */
export type ThreadMessage = { kind: 'ready' } | SpeechAnswer;
