import { availableParallelism } from 'node:os';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { audioErrors } from '../audio.errors.js';
import type { SpeechAnswer, SpeechJob } from './speech-answer.js';
import { SpeechThread, type ThreadEvents } from './speech-thread.js';

interface Waiting {
  job: SpeechJob;
  /** threads that died at it */
  deaths: number;
  resolve: (answer: SpeechAnswer) => void;
  reject: (error: Error) => void;
}

const FEWEST_THREADS = 2;
const MOST_THREADS = 4;
/** Texts that wait at most; 120 s of speech take about half a second. */
const MOST_WAITING = 64;
const BUSY_SECONDS = 5;
const LIMITS = { job: 30_000, idle: 600_000 };
const MOST_DEATHS = 2;

/**
 * The speech engine in a few threads, so that speech never holds up the event loop and a long text no short one. Threads
 * start when they are needed and end when they are not; one that crashes or hangs is replaced, and its text tried once more.
 */
@Injectable()
export class SpeechPool implements OnApplicationShutdown {
  private readonly logger = new Logger('Speech');
  private readonly most: number;
  private readonly threads = new Set<SpeechThread>();
  private readonly jobs = new Map<number, Waiting>();
  private queue: Waiting[] = [];
  private lastId = 0;
  private isEnding = false;

  private readonly events: ThreadEvents = {
    free: () => this.hand(),
    answered: (answer) => {
      const waiting = this.jobs.get(answer.id);
      this.jobs.delete(answer.id);
      waiting?.resolve(answer);
    },
    ended: (thread, job, wasReady) => this.replace(thread, job, wasReady),
  };

  constructor(@Inject(ENVIRONMENT) { SPEECH_THREADS: wanted }: Pick<Environment, 'SPEECH_THREADS'>) {
    const byCores = Math.min(MOST_THREADS, Math.max(FEWEST_THREADS, availableParallelism()));
    this.most = wanted > 0 ? wanted : byCores;
  }

  /**
   * Speaks a text.
   * @param voice of `SPOKEN_VOICES`
   * @param text as `spokenText` makes it
   * @param mostMs where to stop, milliseconds
   * @throws AppError too_many when too many texts wait; unavailable without an engine; failed when the engine breaks at it
   */
  speak(voice: string, text: string, mostMs: number): Promise<SpeechAnswer> {
    if (this.queue.length >= MOST_WAITING) return Promise.reject(tooMany(BUSY_SECONDS));
    return new Promise((resolve, reject) => {
      const job = { id: ++this.lastId, voice, text, mostMs };
      this.queue.push({ job, deaths: 0, resolve, reject });
      this.hand();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  /** Gives what waits to the threads that are free, and starts threads while there are fewer than allowed. */
  private hand(): void {
    for (const thread of this.threads) {
      if (!thread.isFree) continue;
      const waiting = this.queue.shift();
      if (!waiting) return;
      this.jobs.set(waiting.job.id, waiting);
      thread.speak(waiting.job);
    }
    const missing = Math.min(this.queue.length, this.most - this.threads.size);
    for (let count = 0; count < missing && !this.isEnding; count++)
      this.threads.add(new SpeechThread(this.events, LIMITS));
  }

  private replace(thread: SpeechThread, job: SpeechJob | null, wasReady: boolean): void {
    this.threads.delete(thread);
    if (this.isEnding) return this.refuse([...this.jobs.values(), ...this.queue.splice(0)]);
    if (!wasReady) {
      this.logger.warn('The speech engine could not be loaded: is @echogarden/espeak-ng-emscripten installed?');
      if (this.threads.size === 0) this.refuse(this.queue.splice(0));
      return;
    }
    const waiting = job && this.jobs.get(job.id);
    if (waiting) {
      this.logger.warn('A speech thread broke off and is replaced');
      this.jobs.delete(waiting.job.id);
      if (++waiting.deaths < MOST_DEATHS) this.queue.unshift(waiting);
      else waiting.reject(audioErrors.speechFailed());
    }
    this.hand();
  }

  private refuse(waiting: readonly Waiting[]): void {
    for (const { reject } of waiting) reject(audioErrors.noEngine());
  }
}
