import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { readId } from '../../kernel/ids.js';
import { ApiErrors, LIST_ERRORS, ListQuery, paged, type Paged, readListPage } from '../../platform/http/index.js';
import { type Actor, Admin, CurrentActor } from '../accounts/index.js';
import { AcknowledgeAlarmCommand } from './alarms.commands.js';
import { AcknowledgedAlarmAnswer, ALARM_STATES, type AlarmAnswer, AlarmPageAnswer } from './alarms.dto.js';
import { alarmErrors } from './alarms.errors.js';
import { ListAlarmsQuery } from './alarms.queries.js';

const ALARMS = { name: 'alarms', positions: 'ids' } as const;

/** Raised and past alarms (reference/admin#alarms). */
@ApiTags('Admin: alarms')
@Admin()
@Controller('v6/api/admin/alarms')
export class AlarmsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Alarms, newest first', description: 'Each says what to do, and where more of it stands.' })
  @ApiQuery({ name: 'state', required: false, enum: [...ALARM_STATES], description: 'active, where it is not given' })
  @ListQuery()
  @ApiOkResponse({ type: AlarmPageAnswer })
  @ApiErrors(fieldErrors.noWord.shown('state', ALARM_STATES).because('another word'), ...LIST_ERRORS)
  async list(@Query() query: Record<string, unknown>): Promise<Paged<AlarmAnswer>> {
    const { state: given = 'active' } = query;
    const state = ALARM_STATES.find((word) => word === (given === '' ? 'active' : given));
    if (!state) throw fieldErrors.noWord('state', ALARM_STATES);
    const page = readListPage(ALARMS, query);
    return paged(ALARMS, page, await this.queries.execute(new ListAlarmsQuery(state, page)));
  }

  @Post(':id/acknowledge')
  @HttpCode(200)
  @ApiParam({ name: 'id', type: Number, example: 373826482176001 })
  @ApiOperation({
    summary: 'Acknowledge an alarm: it is being handled',
    description: 'The first acknowledgement stays.',
  })
  @ApiOkResponse({ type: AcknowledgedAlarmAnswer })
  @ApiErrors(alarmErrors.notFound, alarmErrors.cleared)
  async acknowledge(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<AcknowledgedAlarmAnswer> {
    const id = readId(text);
    if (id === null) throw alarmErrors.notFound();
    const data = await this.commands.execute(new AcknowledgeAlarmCommand(account, id));
    return { success: true, message: 'Alarm acknowledged', data };
  }
}
