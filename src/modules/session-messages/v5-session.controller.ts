import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { now } from '../../kernel/clock.js';
import { isUserId } from '../../kernel/contacts.js';
import {
  ApiErrors,
  clockWarnings,
  ErrorShape,
  ExactAnswer,
  fromForm,
  type Warn,
  Warnings,
} from '../../platform/http/index.js';
import { type Account, type Actor, Authenticated, CurrentActor, Needs, TestKeys } from '../accounts/index.js';
import { GUARD_ERRORS } from '../guard/index.js';
import { IdempotencyKey, Idempotent, type IdempotentRequest } from '../idempotency/index.js';
import { assertStrict, oneNumber, numbersInvalid, strictWarnings } from '../numbers/index.js';
import { chatAccountErrors, CONNECTION_ERRORS, providerSilent } from '../providers/index.js';
import { SendV5SessionCommand } from './session-messages.commands.js';
import { sessionErrors } from './session-messages.errors.js';
import { RequireChatAccountQuery } from './session-messages.queries.js';
import { V5_EXAMPLES, V5SessionAnswer, V5SessionBody } from './v5-session.dto.js';
import { readV5Session, V5_FORM_ERRORS, type V5Session } from './v5-session.js';

/** Legacy session messages, v5 (reference/session-messages#v5-paths): three paths, one operation. */
@ApiTags('Chat')
@ErrorShape('v5')
@ExactAnswer()
@Needs('send:chat')
@TestKeys()
@Controller('v5/api')
export class V5SessionController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post(['session.php', 'session1.php', 'index.php/addbroadcast'])
  @HttpCode(200)
  @Authenticated({ scheme: 'v5' })
  @Idempotent()
  @ApiOperation({
    summary: 'Send a v5 session message',
    description:
      'To a receiver that has written within 24 hours, else `Ticket Expired`. A list, else reply buttons, else call and ' +
      'URL buttons, else an image with its caption, else text.',
  })
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiBody({ type: V5SessionBody, examples: V5_EXAMPLES })
  @ApiOkResponse({ description: 'Sent, or stored until schedule_time.', type: V5SessionAnswer })
  @ApiErrors(
    chatAccountErrors.notFound,
    ...V5_FORM_ERRORS,
    numbersInvalid,
    ...CONNECTION_ERRORS,
    sessionErrors.ticketExpired,
    ...GUARD_ERRORS,
    sessionErrors.refused,
    providerSilent,
  )
  async send(
    @Body() body: unknown,
    @CurrentActor() actor: Actor,
    @IdempotencyKey('v5_session') idempotent: IdempotentRequest | null,
    @Warnings() warn: Warn,
  ): Promise<V5SessionAnswer> {
    const session = await this.read(actor.account, body);
    const given = oneNumber('contacts', fromForm(body)['contacts'], isUserId(session.to) ? null : session.to);
    await assertStrict(actor.account, given);
    const outcome = await this.commands.execute(new SendV5SessionCommand(actor.account, session, idempotent));
    warn(...(await strictWarnings(actor.account, given)));
    warn(...clockWarnings(session.clockChange));
    return { status: 'ok', textsent: 'ok', message: JSON.stringify(outcome) };
  }

  /** A missing chat account comes before faults of the body; for a valid body the send checks it, after the Idempotency-Key. */
  private async read({ id, timeZone }: Account, body: unknown): Promise<V5Session> {
    try {
      return readV5Session(fromForm(body), timeZone, now());
    } catch (fault) {
      await this.queries.execute(new RequireChatAccountQuery(id));
      throw fault;
    }
  }
}
