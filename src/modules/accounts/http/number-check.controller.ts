import { Body, Controller, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Actor, CurrentActor } from '../authentication/actor.js';
import { Authenticated } from '../authentication/decorators.js';
import { SetNumberCheckCommand } from '../commands/set-number-check.command.js';
import { NumberCheckAnswer, NumberCheckRequest } from './number-check.dto.js';
import { NUMBER_CHECK_ERRORS } from './self-service.errors.js';

/** What becomes of numbers that no numbering plan has, in personalised sends (reference/numbers#checks). */
@ApiTags('Account')
@Authenticated()
@Controller('v6/api/account/number-check')
export class NumberCheckController {
  constructor(private readonly commands: CommandBus) {}

  @Put()
  @ApiOperation({
    summary: 'Choose what becomes of numbers that there are not',
    description:
      '`refuse` refuses a personalised send that has one, `warn` names them in the answer, `off` looks at none. The legacy routes never look. `GET /v6/api/account` shows it.',
  })
  @ApiOkResponse({ type: NumberCheckAnswer })
  @ApiErrors(...NUMBER_CHECK_ERRORS)
  async save(
    @Body() { number_check }: NumberCheckRequest,
    @CurrentActor() { account }: Actor,
  ): Promise<NumberCheckAnswer> {
    await this.commands.execute(new SetNumberCheckCommand(account, number_check));
    return { success: true, message: 'Number check saved successfully', data: { number_check } };
  }
}
