import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { TtlCache } from '../../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../../platform/config/index.js';
import { inTransaction } from '../../../../platform/database/index.js';
import { type CallEvent, CallScripts, type CallStep, type ScriptedCall } from '../../../providers/index.js';
import { type LiveCall, LiveCalls } from '../voice-calls.store.js';
import { voiceChannel } from '../voice.channel.js';
import { type CallScript, nextMove } from './menu-machine.js';
import { voiceContent } from './voice-content.js';
import { AttemptReader } from '../../../engine/index.js';

/** Limit of steps: no person presses so many keys. */
const MOST_STEPS = 200;
const MOST_DIGITS = 255;
const SCRIPTS_KEPT_MS = 10_000;
const HANGUP: CallStep = { do: 'hangup' };

interface RoutedScript extends CallScript {
  routeId: number;
}

/** Answers the carrier's questions about calls. Each call is one locked MySQL row, so any instance can answer. */
@Injectable()
export class ScriptedCalls extends CallScripts {
  private readonly scripts = new TtlCache<number, RoutedScript | null>(SCRIPTS_KEPT_MS, 1_000);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly attempts: AttemptReader,
    private readonly calls: LiveCalls,
  ) {
    super();
  }

  async next({ routeId, ref, callId }: ScriptedCall, step: number, event: CallEvent): Promise<CallStep> {
    const target = this.attempts.recipientOf(ref);
    if (!target) return HANGUP;
    const script = await this.scripts.get(target.campaignId, () => this.script(target.campaignId));
    if (script?.routeId !== routeId) return HANGUP;
    const key = { ...target, callId };
    const work = async (tx: EntityManager): Promise<CallStep> => {
      const call = await this.calls.lock(tx, key);
      if (!call) return HANGUP;
      const answer = answered(script, call, step, event);
      if (answer.changed) await this.calls.save(tx, key, answer.changed);
      return answer.step;
    };
    return inTransaction(this.dataSource, work, { again: 'a step that was answered keeps its answer' });
  }

  private async script(campaignId: number): Promise<RoutedScript | null> {
    const campaign = await this.attempts.campaignOf(campaignId);
    if (campaign?.channel !== voiceChannel.name) return null;
    const { audio_url: audio, menu, caller_id: callerId } = voiceContent(campaign.content);
    const maxSeconds = this.environment.VOICE_MAX_CALL_SECONDS;
    return { routeId: campaign.routeId, audio, menu, callerId, maxSeconds };
  }
}

interface Answer {
  step: CallStep;
  /** null = no change */
  changed: LiveCall | null;
}

function answered(script: CallScript, call: LiveCall, step: number, event: CallEvent): Answer {
  const known = call.answers[step];
  if (known) return { step: known, changed: withRecording(call, event) };
  if (step !== call.answers.length || step >= MOST_STEPS) return { step: HANGUP, changed: null };
  const { position, step: next } = nextMove(script, call.position, event);
  const moved: LiveCall = {
    ...call,
    position,
    answers: [...call.answers, next],
    digits: event.kind === 'digits' ? (call.digits + event.digits).slice(0, MOST_DIGITS) : call.digits,
  };
  return { step: next, changed: withRecording(moved, event) ?? moved };
}

/** The carrier reports a recording twice; perhaps only the second report has the URL. */
function withRecording(call: LiveCall, event: CallEvent): LiveCall | null {
  if (event.kind !== 'recorded' || event.url === '' || call.recordingUrls.includes(event.url)) return null;
  return { ...call, recordingUrls: [...call.recordingUrls, event.url] };
}
