declare module '@echogarden/espeak-ng-emscripten' {
  class SpeechEngine {
    /** @returns 0 when the voice exists */
    set_voice(name: string): number;
    /** Calls `take` with chunks of 16-bit sound at 22,050 samples a second, until it returns true. */
    synthesize(markup: string, take: (samples: Int16Array | null) => boolean): void;
  }
  export default function open(): Promise<{ eSpeakNGWorker: typeof SpeechEngine }>;
}
