import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { KeyedSemaphore } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { tooMany } from '../../../platform/security/index.js';
import { TELEPHONE_FORMAT, writeWav } from '../audio-formats.js';
import { audioErrors } from '../audio.errors.js';
import { type AudioDraft, AudioStore, contentKey, LONGEST_MS } from '../audio.store.js';
import { spokenText, voiceOf } from '../spoken-text.js';

export interface SpeechJob {
  id: number;
  voice: string;
  text: string;
  mostMs: number;
}

/** `samples`: 16 bits, 8,000 a second, whole milliseconds. */
export type SpeechAnswer =
  | { id: number; kind: 'spoken'; samples: Int16Array<ArrayBuffer> }
  | { id: number; kind: 'too_long' }
  | { id: number; kind: 'silent' }
  | { id: number; kind: 'failed'; reason: string };

type ThreadMessage = { kind: 'ready' } | SpeechAnswer;

const THREAD = new URL('./speech.thread.mjs', import.meta.url);
const MEMORY_MB = 256;

interface ThreadEvents {
  free(): void;
  answered(answer: SpeechAnswer): void;
  /** The thread ended. `job`: its unfinished job; `wasReady`: false when the engine failed to load. */
  ended(thread: SpeechThread, job: SpeechJob | null, wasReady: boolean): void;
}

/** Milliseconds. `job`: only termination stops a hanging thread; `idle`: an engine uses some 80 MB. */
export interface ThreadLimits {
  job: number;
  idle: number;
}

/** One thread with its own engine. It keeps no process alive while idle. */
class SpeechThread {
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
    // discard the engine's output, which would fill memory unread
    this.worker.stdout.resume();
    this.worker.stderr.resume();
    this.worker.on('message', (message: ThreadMessage) => this.received(message));
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

  private received(message: ThreadMessage): void {
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

interface Waiting {
  job: SpeechJob;
  /** threads that died while processing it */
  deaths: number;
  resolve: (answer: SpeechAnswer) => void;
  reject: (error: Error) => void;
}

const FEWEST_THREADS = 2;
const MOST_THREADS = 4;
/** Limit of waiting texts; 120 s of speech take about half a second. */
const MOST_WAITING = 64;
const BUSY_SECONDS = 5;
const LIMITS = { job: 30_000, idle: 600_000 };
const MOST_DEATHS = 2;

/** Speech engines in threads, which keep the event loop free. After a crash or hang a new thread retries the text once. */
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

  /** Speaks a text made by `spokenText`. @throws AppError too_many; unavailable without an engine; failed in the engine */
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

  /** Assigns waiting texts to free threads, and starts threads up to the limit. */
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

/** Part of the key of stored speech; change it with the engine or the processing. */
const RECIPE = 'espeak-ng-emscripten 0.3.5, 8 kHz, 1';
/** Limits of texts in the engine, in all and per account. */
const SHARES = { permits: 64, each: 4, waiting: 16, patienceMs: 15_000 };
const SAMPLES_PER_MS = TELEPHONE_FORMAT.rate / 1_000;

/** Texts as audio. Equal texts are stored once; simultaneous requests share one job. Each account has few jobs at a time. */
@Injectable()
export class Speaker {
  private readonly underWay = new Map<string, Promise<AudioDraft | 'too_long' | 'silent'>>();
  private readonly semaphore = new KeyedSemaphore<number>(SHARES, () => tooMany(BUSY_SECONDS));

  constructor(
    private readonly pool: SpeechPool,
    private readonly store: AudioStore,
  ) {}

  /** @param language reference/voice#speech @throws AppError invalid over 120 s or if silent, too_many, as `SpeechPool` */
  async speak(text: string, language: string | null, accountId: number): Promise<AudioDraft> {
    const voice = voiceOf(language);
    const markup = spokenText(text);
    const key = contentKey(['speech', RECIPE, voice, markup]);
    const shared = this.underWay.get(key);
    const making = shared ?? this.make(key, voice, markup, accountId).finally(() => this.underWay.delete(key));
    if (!shared) this.underWay.set(key, making);
    const result = await making;
    if (result === 'too_long') throw audioErrors.tooLong('Audio');
    if (result === 'silent') throw audioErrors.nothingToSay();
    return result;
  }

  private async make(
    key: string,
    voice: string,
    markup: string,
    accountId: number,
  ): Promise<AudioDraft | 'too_long' | 'silent'> {
    const kept = await this.store.byKey(key);
    if (kept) return { key, file: kept, bytes: null };
    const answer = await this.semaphore.run(accountId, () => this.pool.speak(voice, markup, LONGEST_MS));
    if (answer.kind === 'failed') throw audioErrors.speechFailed();
    if (answer.kind !== 'spoken') return answer.kind;
    const { samples } = answer;
    return this.store.draft({
      key,
      bytes: writeWav(TELEPHONE_FORMAT, Buffer.from(samples.buffer)),
      milliseconds: samples.length / SAMPLES_PER_MS,
      mime: 'audio/wav',
      extension: 'wav',
    });
  }
}
