import { Body, Controller, HttpCode, Inject, Post, StreamableFile } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { objectOrEmpty } from '../../../kernel/json-values.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import {
  type AnswerWarning,
  ApiErrors,
  contactWarnings,
  ExactAnswer,
  scheduleWarnings,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { RateLimited, tooMany } from '../../../platform/security/index.js';
import { type Actor, Authenticated, senderOf, CurrentActor, Needs, TestKeys } from '../../accounts/index.js';
import { isSpokenLanguage } from '../../audio/index.js';
import { Submissions } from '../../engine/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../../idempotency/index.js';
import { assertStrict, oneNumber, numbersInvalid, strictWarnings } from '../../numbers/index.js';
import { readSimulation, simulate } from './calls/simulation.js';
import { type NumberRules, voiceReceiver } from './domain/call-number.js';
import { type AudioSource, type VoiceBody, readVoiceRequest } from './domain/voice-request.js';
import { SIMULATION_EXAMPLES, SimulationAnswer, SimulationBody } from './simulation.dto.js';
import { SendVoiceCampaignCommand } from './voice.commands.js';
import { SpeechBody, VOICE_EXAMPLES, VoiceSendAnswer, VoiceSendBody } from './voice.dto.js';
import { SIMULATION_ERRORS, SPEECH_ERRORS, VOICE_SEND_ERRORS, voiceErrors } from './voice.errors.js';
import { GetSpeechQuery } from './voice.queries.js';

/** Voice campaigns (reference/voice#voicesend). */
@ApiTags('Voice')
@Authenticated()
@Needs('send:voice')
@TestKeys()
@Controller('v6/api/v1/voice')
export class VoiceController {
  private readonly numbers: NumberRules;

  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.numbers = { allowedPrefixes: this.environment.VOICE_ALLOWED_PREFIXES };
  }

  @Post('send')
  @HttpCode(200)
  @Idempotent()
  @ExactAnswer()
  @ApiOperation({
    summary: 'Send a voice campaign',
    description:
      'Charged at once by the length of the audio; the calls leave once the campaign is approved. Follow it with GET /v6/api/voice/report and the request_id of the answer.',
  })
  @ApiBody({ type: VoiceSendBody, examples: VOICE_EXAMPLES })
  @ApiOkResponse({ description: 'Accepted and charged.', type: VoiceSendAnswer })
  @ApiErrors(
    tooMany.because('too many of the account’s requests speak or fetch audio at once'),
    ...VOICE_SEND_ERRORS,
    numbersInvalid,
  )
  async send(
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
    @IdempotencyKey('voice_send') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<VoiceSendAnswer> {
    const sender = senderOf(actor.account);
    const read = readVoiceRequest(fieldsOf(body), this.numbers);
    if ('fault' in read) throw voiceErrors.invalid(read.fault);
    const request = { ...read.request, late: Submissions.lateOf(fieldsOf(body)) };
    const entries = fieldsOf(body)['contacts'] as unknown[];
    const given = { field: 'contacts', entries, taken: (index: number) => voiceReceiver(entries[index]) };
    const caller = oneNumber('caller_id', fieldsOf(body)['caller_id'], request.callerId);
    for (const numbers of [given, caller]) await assertStrict(actor.account, numbers);
    const sent = await this.commands.execute(new SendVoiceCampaignCommand(sender, request, idempotent));
    warn(...scheduleWarnings(request.schedule, actor.account.timeZone));
    warn(...contactWarnings(fieldsOf(body)['contacts'], CONTACTS));
    warn(...languageWarnings(request.source));
    for (const numbers of [given, caller]) warn(...(await strictWarnings(actor.account, numbers)));
    return {
      request_id: sent.requestId,
      campaign_name: request.broadcastName,
      contacts: sent.contacts,
      counts_per_contact: sent.creditsPerContact,
      credits_deducted: sent.creditsDeducted,
      ivr_enabled: request.menu !== null,
      status: 'Pending for Verification',
      audio_url: sent.speechUrl ?? ('url' in request.source ? request.source.url : ''),
    };
  }

  @Post('speech')
  @HttpCode(200)
  @RateLimited('broadcast')
  @ApiOperation({
    summary: 'Hear how a text is spoken',
    description: 'The audio that a send of this text and language plays. Costs nothing, makes no call, keeps nothing.',
  })
  @ApiBody({ type: SpeechBody })
  @ApiOkResponse({
    description: 'The audio.',
    content: { 'audio/wav': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiErrors(tooMany.because('too many of the account’s texts are with the engine'), ...SPEECH_ERRORS)
  async hear(@Body() body: unknown, @CurrentActor() { account }: Actor): Promise<StreamableFile> {
    const { mime, bytes } = await this.queries.execute(new GetSpeechQuery(account.id, fieldsOf(body)));
    return new StreamableFile(bytes, { type: mime, length: bytes.length });
  }

  @Post('simulate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Walk through a keypad menu',
    description:
      'Makes no call and costs nothing: says what a recipient who presses these keys hears, and where the call ends.',
  })
  @ApiBody({ type: SimulationBody, examples: SIMULATION_EXAMPLES })
  @ApiOkResponse({ type: SimulationAnswer })
  @ApiErrors(...SIMULATION_ERRORS)
  simulate(@Body() body: unknown): SimulationAnswer {
    const read = readSimulation(fieldsOf(body), this.numbers);
    if ('fault' in read) throw voiceErrors.invalid(read.fault);
    const { audio, menu, origins, callee } = read.request;
    const maxSeconds = this.environment.VOICE_MAX_CALL_SECONDS;
    const { steps, ended, unused } = simulate({ audio, menu, callerId: '', maxSeconds }, callee, origins);
    return { success: true, data: { ivr_enabled: menu !== null, steps, ended, unused_digits: unused } };
  }
}

const CONTACTS = {
  field: 'contacts',
  read: voiceReceiver,
  wanted: 'a number has 10 to 16 digits',
  duplicates: 'removed',
} as const;

function languageWarnings(source: AudioSource): AnswerWarning[] {
  if ('url' in source || source.language === null || isSpokenLanguage(source.language)) return [];
  const message = 'The language is not known: the text is spoken in English';
  return [{ code: 'language_fallback', field: 'language', message }];
}

const fieldsOf = (body: unknown): VoiceBody => objectOrEmpty(body);
