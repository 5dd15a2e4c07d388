import { Controller, Get, Query, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { readText } from '../../../../kernel/text.js';
import { ApiErrors, ErrorShape, NoHead } from '../../../../platform/http/index.js';
import { clientIp, tooMany } from '../../../../platform/security/index.js';
import { accountErrors, Open, createdBy } from '../../../accounts/index.js';
import { creditErrors } from '../../../credits/index.js';
import { acceptanceErrors } from '../../../engine/index.js';
import { SendSmsBroadcastCommand } from '../commands/send-sms-broadcast.command.js';
import { readSmsBroadcast } from '../sms-broadcast.js';
import { smsErrors } from '../sms.errors.js';
import { CHOSEN_ID_ERRORS, ChosenIds } from './chosen-ids.js';
import { VerifiedCredentials } from './verified-credentials.js';
import { SmsGetAnswer } from './sms-broadcast.dto.js';

/** How such a send is named in reports; it has no broadcast_name and no brodcast_service of its own. */
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
    smsErrors.tooLong,
    smsErrors.contactLength,
    smsErrors.requestIdFormat,
    smsErrors.dltTemplateId,
    ...CHOSEN_ID_ERRORS,
    smsErrors.notApproved,
    acceptanceErrors.noRoute,
    smsErrors.dltTemplateRequired,
    smsErrors.dltEntityRequired,
    creditErrors.insufficient,
  )
  async send(@Query() query: Record<string, unknown>, @Req() request: Request): Promise<SmsGetAnswer> {
    const [username, password, message, number] = ['username', 'password', 'message', 'number'].map((name) =>
      requiredText(query, name),
    ) as [string, string, string, string];
    const ip = clientIp(request);
    const account = await this.credentials.check(username, password, ip);
    const read = readSmsBroadcast({
      broadcast_name: BROADCAST_NAME,
      brodcast_service: SERVICE,
      // A comma would join two numbers into one: such a text is no single number.
      contacts: [number.includes(',') ? '' : number],
      message,
      providermessageid: query['providermessageid'],
      provider_message_id: query['provider_message_id'],
      providerMessageId: query['providerMessageId'],
      sender_id: query['sender_id'],
      dlt_template_id: query['dlt_template_id'],
    });
    if ('fault' in read) {
      // the one contact is `number` here
      throw smsErrors[read.fault]().helping(read.fault === 'contactLength' ? { field: 'number' } : (read.at ?? {}));
    }
    const sender = { accountId: account.id, timeZone: account.timeZone, createdBy: createdBy(account) };
    const { broadcast } = read;
    const sent = await this.chosenIds.guard(broadcast.givenId, { ip, accountId: account.id }, () =>
      this.commands.execute(new SendSmsBroadcastCommand(sender, broadcast)),
    );
    return { status: 'ok', textsent: 'ok', message: 'Success', request_id: sent.requestId, Credits: sent.credits };
  }
}

function requiredText(query: Record<string, unknown>, field: string): string {
  const read = readText(query[field]);
  if (read.kind !== 'text') throw smsErrors.httpSendRequired().helping({ field });
  return read.value;
}
