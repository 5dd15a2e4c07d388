import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ExactAnswer,
  fromForm,
  scheduleWarnings,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { RateLimited } from '../../../platform/security/index.js';
import { type Actor, Authenticated, senderOf, CurrentActor, Needs, TestKeys } from '../../accounts/index.js';
import { creditErrors } from '../../credits/index.js';
import { acceptanceErrors } from '../../engine/index.js';
import { GUARD_ERRORS } from '../../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../../idempotency/index.js';
import { assertStrict, numbersInvalid, strictWarnings } from '../../numbers/index.js';
import { givenContacts, UsedRoutes } from '../broadcasts/index.js';
import { SendUnofficialBroadcastCommand } from './unofficial-broadcast.commands.js';
import { UNOFFICIAL_EXAMPLES, UnofficialBroadcastAnswer, UnofficialBroadcastBody } from './unofficial-broadcast.dto.js';
import { attachmentErrors, readUnofficialBroadcastRequest, unofficialErrors } from './unofficial.channel.js';

/** Bulk messages over the unofficial chat route (reference/unofficial-chat#addbroadcastunofficialphp). */
@ApiTags('Unofficial chat')
@TestKeys()
@Controller('webhook/api')
export class UnofficialBroadcastController {
  constructor(
    private readonly commands: CommandBus,
    private readonly usedRoutes: UsedRoutes,
  ) {}

  @Post('addbroadcastUnofficial.php')
  @Needs('send:chat')
  @HttpCode(200)
  @Authenticated({ cookie: true, bodyUsername: true })
  @RateLimited('broadcast')
  @Idempotent()
  @ExactAnswer()
  @ApiOperation({
    summary: 'Send an unofficial chat broadcast',
    description:
      'One credit a contact, whatever the length and the attachments; duplicates are kept. Follow it with GET /v6/api/campaigns/{request_id}.',
  })
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiBody({ type: UnofficialBroadcastBody, examples: UNOFFICIAL_EXAMPLES })
  @ApiOkResponse({ description: 'Accepted, charged and queued.', type: UnofficialBroadcastAnswer })
  @ApiErrors(
    unofficialErrors.fieldsRequired,
    unofficialErrors.tooLong,
    unofficialErrors.contactLength,
    numbersInvalid,
    ...Object.values(attachmentErrors),
    unofficialErrors.scheduleTime,
    acceptanceErrors.schedulePast,
    acceptanceErrors.late,
    acceptanceErrors.lateAfter,
    acceptanceErrors.lateAlone,
    acceptanceErrors.noRoute,
    acceptanceErrors.tooManyChains,
    ...GUARD_ERRORS,
    creditErrors.insufficient,
  )
  async send(
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
    @IdempotencyKey('unofficial_broadcast') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<UnofficialBroadcastAnswer> {
    const { username } = actor.account;
    const fields = fromForm(body, { lists: ['contacts'] });
    const read = readUnofficialBroadcastRequest(fields);
    if ('fault' in read) throw unofficialErrors[read.fault]().helping(read.at ?? {});
    const given = givenContacts(fields, read.request);
    await assertStrict(actor.account, given);
    const sender = senderOf(actor.account);
    const sent = await this.commands.execute(new SendUnofficialBroadcastCommand(sender, read.request, idempotent));
    warn(...(await this.usedRoutes.of(read.request.service, sent)));
    warn(...scheduleWarnings(read.request.schedule, actor.account.timeZone));
    warn(...(await strictWarnings(actor.account, given)));
    return {
      request_id: sent.requestId,
      status: 'Processing',
      message: 'Success',
      username,
      Credits: sent.credits,
    };
  }
}
