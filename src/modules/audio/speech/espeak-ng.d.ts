/** The part of eSpeak NG for JavaScript that we use; the package brings no types. */
declare module '@echogarden/espeak-ng-emscripten' {
  class SpeechEngine {
    /** @returns 0 when there is such a voice */
    set_voice(name: string): number;
    /** Calls back with every piece of 16-bit sound at 22,050 samples a second, until it says true. */
    synthesize(markup: string, take: (samples: Int16Array | null) => boolean): void;
  }
  export default function open(): Promise<{ eSpeakNGWorker: typeof SpeechEngine }>;
}
