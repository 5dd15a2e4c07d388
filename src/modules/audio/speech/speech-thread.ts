import { Worker } from 'node:worker_threads';
import type { SpeechAnswer, SpeechJob, ThreadMessage } from './speech-answer.js';

const THREAD = new URL('./speech.thread.mjs', import.meta.url);
const MEMORY_MB = 256;

/** What a thread reports to its pool. */
export interface ThreadEvents {
  /** it has loaded the engine, or is done with its job */
  free(): void;
  answered(answer: SpeechAnswer): void;
  /** It has ended. `job`: what it was at; `wasReady`: false when the engine could not be loaded. */
  ended(thread: SpeechThread, job: SpeechJob | null, wasReady: boolean): void;
}

/** Milliseconds. `job`: nothing but its end stops a thread that hangs; `idle`: an engine holds some 80 MB. */
export interface ThreadLimits {
  job: number;
  idle: number;
}

/** One thread with an engine of its own. It keeps no process alive while it has nothing to do. */
export class SpeechThread {
  private readonly worker: Worker;
  private timer: NodeJS.Timeout | undefined;
  private job: SpeechJob | null = null;
  private wasReady = false;
  private isEnding = false;

  constructor(
    private readonly events: ThreadEvents,
    private readonly limits: ThreadLimits,
  ) {
    this.worker = new Worker(THREAD, {
      name: 'speech',
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    // what the engine prints is of no use, and would be kept if it were not read
    this.worker.stdout.resume();
    this.worker.stderr.resume();
    this.worker.on('message', (message: ThreadMessage) => this.heard(message));
    // an `exit` follows every `error`
    this.worker.on('error', () => undefined);
    this.worker.once('exit', () => {
      clearTimeout(this.timer);
      events.ended(this, this.job, this.wasReady);
    });
  }

  get isFree(): boolean {
    return this.wasReady && this.job === null && !this.isEnding;
  }

  /** Only while `isFree`. */
  speak(job: SpeechJob): void {
    this.job = job;
    this.worker.ref();
    this.endAfter(this.limits.job);
    this.worker.postMessage(job);
  }

  async end(): Promise<void> {
    this.isEnding = true;
    await this.worker.terminate();
  }

  private heard(message: ThreadMessage): void {
    this.wasReady = true;
    this.job = null;
    this.worker.unref();
    this.endAfter(this.limits.idle);
    if (message.kind !== 'ready') this.events.answered(message);
    this.events.free();
  }

  private endAfter(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.end(), milliseconds);
    this.timer.unref();
  }
}
