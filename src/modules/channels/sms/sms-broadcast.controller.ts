import { Body, Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { readText } from '../../../kernel/text.js';
import {
  AlsoTakes,
  ApiErrors,
  ErrorShape,
  ExactAnswer,
  fromForm,
  NoHead,
  scheduleWarnings,
  TEST_WARNING,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { clientIp, RateLimited, tooMany } from '../../../platform/security/index.js';
import {
  accountErrors,
  assertRight,
  type Actor,
  Authenticated,
  senderOf,
  CurrentActor,
  isTesting,
  Needs,
  Open,
  TestKeys,
} from '../../accounts/index.js';
import { creditErrors } from '../../credits/index.js';
import { acceptanceErrors } from '../../engine/index.js';
import { GUARD_ERRORS } from '../../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../../idempotency/index.js';
import { assertStrict, oneNumber, numbersInvalid, strictWarnings } from '../../numbers/index.js';
import { givenContacts, UsedRoutes } from '../broadcasts/index.js';
import { SendSmsBroadcastCommand } from './sms-broadcast.commands.js';
import { BROADCAST_EXAMPLES, SmsBroadcastAnswer, SmsBroadcastBody, SmsGetAnswer } from './sms-broadcast.dto.js';
import { readSmsBroadcastRequest, smsErrors } from './sms-broadcast.js';
import { CHOSEN_ID_ERRORS, ChosenIds, VerifiedCredentials } from './sms-callers.js';

/** Bulk SMS (reference/sms#addbroadcastgsmphp). */
@ApiTags('SMS')
@TestKeys()
@Controller('webhook/api')
export class SmsBroadcastController {
  constructor(
    private readonly commands: CommandBus,
    private readonly chosenIds: ChosenIds,
    private readonly usedRoutes: UsedRoutes,
  ) {}

  @Post('addbroadcastgsm.php')
  @Needs('send:sms')
  @HttpCode(200)
  @Authenticated({ cookie: true, bodyUsername: true })
  @RateLimited('broadcast')
  @Idempotent()
  @ExactAnswer()
  @AlsoTakes('provider_message_id', 'providerMessageId')
  @ApiOperation({
    summary: 'Send an SMS broadcast',
    description:
      'Every contact is charged and sent by itself; duplicates are kept. Follow it with getGSMreport.php and the request_id of the answer.',
  })
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiBody({ type: SmsBroadcastBody, examples: BROADCAST_EXAMPLES })
  @ApiOkResponse({ description: 'Accepted, charged and queued.', type: SmsBroadcastAnswer })
  @ApiErrors(
    smsErrors.fieldsRequired,
    smsErrors.tooLong,
    smsErrors.contactLength,
    numbersInvalid,
    smsErrors.requestIdFormat,
    smsErrors.dltTemplateId,
    smsErrors.scheduleTime,
    acceptanceErrors.schedulePast,
    acceptanceErrors.late,
    acceptanceErrors.lateAfter,
    acceptanceErrors.lateAlone,
    ...CHOSEN_ID_ERRORS,
    smsErrors.notApproved,
    acceptanceErrors.noRoute,
    acceptanceErrors.tooManyChains,
    smsErrors.dltTemplateRequired,
    smsErrors.dltEntityRequired,
    ...GUARD_ERRORS,
    creditErrors.insufficient,
  )
  async send(
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
    @Req() httpRequest: Request,
    @IdempotencyKey('sms_broadcast') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<SmsBroadcastAnswer> {
    const { id, username, timeZone } = actor.account;
    const fields = fromForm(body, { lists: ['contacts'] });
    const read = readSmsBroadcastRequest(fields);
    if ('fault' in read) throw smsErrors[read.fault]().helping(read.at ?? {});
    const sender = senderOf(actor.account);
    const { request } = read;
    const given = givenContacts(fields, request);
    await assertStrict(actor.account, given);
    const chooser = { ip: clientIp(httpRequest), accountId: actor.via === 'body' ? null : id };
    const sent = await this.chosenIds.guard(request.givenId, chooser, () =>
      this.commands.execute(new SendSmsBroadcastCommand(sender, request, idempotent)),
    );
    const hasDlt = request.options.dltTemplateId !== null;
    warn(...(await this.usedRoutes.of(request.service, sent, { hasDlt })));
    warn(...scheduleWarnings(request.schedule, timeZone));
    warn(...(await strictWarnings(actor.account, given)));
    return {
      request_id: sent.requestId,
      status: 'PP1',
      message: 'Success',
      url: '1',
      username,
      Credits: sent.credits,
    };
  }
}

/** Name in reports; the request has no broadcast_name. */
const BROADCAST_NAME = 'sms_get';
const SERVICE = 'default';

/** The simple HTTP send (reference/sms#sms_getphp): one number, credentials in the query. */
@ApiTags('SMS')
@ErrorShape('v5')
@Controller('v5/api')
export class SmsGetController {
  constructor(
    private readonly commands: CommandBus,
    private readonly credentials: VerifiedCredentials,
    private readonly chosenIds: ChosenIds,
  ) {}

  @Get('sms_get.php')
  @NoHead()
  @ExactAnswer()
  @Open('username and password stand in the query')
  @ApiOperation({ summary: 'Send one SMS with a plain GET', description: 'Goes over the default SMS route.' })
  @ApiQuery({ name: 'username', example: 'demo' })
  @ApiQuery({ name: 'password', example: 'Demo-1234!', description: 'The password, or an API key of the account.' })
  @ApiQuery({ name: 'message', example: 'Hello' })
  @ApiQuery({ name: 'number', example: '919812345678', description: 'One number with country code.' })
  @ApiQuery({ name: 'providermessageid', required: false, description: 'Your own request id.' })
  @ApiQuery({ name: 'sender_id', required: false, description: 'One of your approved sender ids.' })
  @ApiQuery({ name: 'dlt_template_id', required: false, description: 'Id of the text in an operator’s registry.' })
  @ApiOkResponse({ description: 'Accepted, charged and queued.', type: SmsGetAnswer })
  @ApiErrors(
    smsErrors.httpSendRequired,
    tooMany.because('too many failed tries'),
    accountErrors.invalidCredentials,
    accountErrors.inactive,
    accountErrors.expired,
    accountErrors.secondFactorRequired.because('the password of such a login: send an API key'),
    accountErrors.missingRight,
    smsErrors.tooLong,
    smsErrors.contactLength,
    numbersInvalid,
    smsErrors.requestIdFormat,
    smsErrors.dltTemplateId,
    ...CHOSEN_ID_ERRORS,
    smsErrors.notApproved,
    acceptanceErrors.noRoute,
    smsErrors.dltTemplateRequired,
    smsErrors.dltEntityRequired,
    ...GUARD_ERRORS,
    creditErrors.insufficient,
  )
  async send(
    @Query() query: Record<string, unknown>,
    @Req() httpRequest: Request,
    @Warnings() warn: Warn,
  ): Promise<SmsGetAnswer> {
    const [username, password, message, number] = ['username', 'password', 'message', 'number'].map((name) =>
      requiredText(query, name),
    ) as [string, string, string, string];
    const ip = clientIp(httpRequest);
    const account = await this.credentials.check(username, password, ip);
    assertRight(account, 'send:sms');
    const read = readSmsBroadcastRequest({
      broadcast_name: BROADCAST_NAME,
      brodcast_service: SERVICE,
      // a comma would join two numbers into one
      contacts: [number.includes(',') ? '' : number],
      message,
      providermessageid: query['providermessageid'],
      provider_message_id: query['provider_message_id'],
      providerMessageId: query['providerMessageId'],
      sender_id: query['sender_id'],
      dlt_template_id: query['dlt_template_id'],
    });
    if ('fault' in read) {
      // this endpoint names the contact `number`
      throw smsErrors[read.fault]().helping(read.fault === 'contactLength' ? { field: 'number' } : (read.at ?? {}));
    }
    const sender = senderOf(account);
    const { request } = read;
    const given = oneNumber('number', number, request.recipients[0] ?? null);
    await assertStrict(account, given);
    const sent = await this.chosenIds.guard(request.givenId, { ip, accountId: account.id }, () =>
      this.commands.execute(new SendSmsBroadcastCommand(sender, request)),
    );
    warn(...(await strictWarnings(account, given)), ...(isTesting(account) ? [TEST_WARNING] : []));
    return { status: 'ok', textsent: 'ok', message: 'Success', request_id: sent.requestId, Credits: sent.credits };
  }
}

function requiredText(query: Record<string, unknown>, field: string): string {
  const read = readText(query[field]);
  if (read.kind !== 'text') throw smsErrors.httpSendRequired().helping({ field });
  return read.value;
}
