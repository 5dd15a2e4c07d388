import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import {
  AlsoTakes,
  ApiErrors,
  ExactAnswer,
  fromForm,
  scheduleWarnings,
  type Warn,
  Warnings,
} from '../../../../platform/http/index.js';
import { clientIp, RateLimited } from '../../../../platform/security/index.js';
import { type Actor, Authenticated, CurrentActor, createdBy } from '../../../accounts/index.js';
import { creditErrors } from '../../../credits/index.js';
import { acceptanceErrors } from '../../../engine/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../../../idempotency/index.js';
import { numberWarnings } from '../../../numbers/index.js';
import { UsedRoutes } from '../../broadcasts/index.js';
import { SendSmsBroadcastCommand } from '../commands/send-sms-broadcast.command.js';
import { readSmsBroadcast } from '../sms-broadcast.js';
import { smsErrors } from '../sms.errors.js';
import { CHOSEN_ID_ERRORS, ChosenIds } from './chosen-ids.js';
import { BROADCAST_EXAMPLES, SmsBroadcastAnswer, SmsBroadcastBody } from './sms-broadcast.dto.js';

/** Bulk SMS (reference/sms#addbroadcastgsmphp). */
@ApiTags('SMS')
@Controller('webhook/api')
export class SmsBroadcastController {
  constructor(
    private readonly commands: CommandBus,
    private readonly chosenIds: ChosenIds,
    private readonly usedRoutes: UsedRoutes,
  ) {}

  @Post('addbroadcastgsm.php')
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
    smsErrors.requestIdFormat,
    smsErrors.dltTemplateId,
    smsErrors.scheduleTime,
    acceptanceErrors.schedulePast,
    ...CHOSEN_ID_ERRORS,
    smsErrors.notApproved,
    acceptanceErrors.noRoute,
    acceptanceErrors.tooManyChains,
    smsErrors.dltTemplateRequired,
    smsErrors.dltEntityRequired,
    creditErrors.insufficient,
  )
  async send(
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @IdempotencyKey('sms_broadcast') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<SmsBroadcastAnswer> {
    const { id, username, timeZone } = actor.account;
    const read = readSmsBroadcast(fromForm(body, { lists: ['contacts'] }));
    if ('fault' in read) throw smsErrors[read.fault]().helping(read.at ?? {});
    const sender = { accountId: id, timeZone, createdBy: createdBy(actor.account) };
    const { broadcast } = read;
    const chooser = { ip: clientIp(request), accountId: actor.via === 'body' ? null : id };
    const sent = await this.chosenIds.guard(broadcast.givenId, chooser, () =>
      this.commands.execute(new SendSmsBroadcastCommand(sender, broadcast, idempotent)),
    );
    const hasDlt = broadcast.options.dltTemplateId !== null;
    warn(...(await this.usedRoutes.of(broadcast.service, sent, { hasDlt })));
    warn(...scheduleWarnings(broadcast.schedule, timeZone));
    warn(...(await numberWarnings(actor.account, 'contacts', broadcast.recipients)));
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
