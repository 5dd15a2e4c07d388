import { Body, Controller, Delete, Param, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { ChangeTemplateCommand } from '../commands/change-template.command.js';
import { RemoveTemplateCommand } from '../commands/remove-template.command.js';
import { type RawTemplate, TEMPLATE_FORM_ERRORS } from '../domain/template-form.js';
import {
  ChangedTemplateAnswer,
  readTemplateId,
  RemovedTemplateAnswer,
  TEMPLATE_EXAMPLES,
  templateAnswer,
  TemplateChangesBody,
} from './template.dto.js';
import { templateErrors } from '../templates.errors.js';

/**
 * What an owner may still do with a template that is a draft, rejected or pending (reference/templates#own-templates).
 */
@ApiTags('Templates')
@ApiParam({ name: 'id', type: Number, example: 12 })
@Authenticated({ cookie: true })
@Controller('v6/api/templates/:id')
export class OwnTemplatesController {
  constructor(private readonly commands: CommandBus) {}

  @Put()
  @ApiOperation({
    summary: 'Change a template',
    description: 'Fields as at creation; absent ones stay as they are. It goes back to review.',
  })
  @ApiBody({ type: TemplateChangesBody, examples: TEMPLATE_EXAMPLES })
  @ApiOkResponse({ type: ChangedTemplateAnswer })
  @ApiErrors(templateErrors.notFound, templateErrors.wrongState, ...TEMPLATE_FORM_ERRORS, templateErrors.nameTaken)
  async change(
    @Param('id') id: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<ChangedTemplateAnswer> {
    const changes: RawTemplate = body;
    const template = await this.commands.execute(new ChangeTemplateCommand(account.id, readTemplateId(id), changes));
    return { success: true, message: 'Template updated successfully', data: templateAnswer(template, account) };
  }

  @Delete()
  @ApiOperation({ summary: 'Delete a template' })
  @ApiOkResponse({ type: RemovedTemplateAnswer })
  @ApiErrors(templateErrors.notFound, templateErrors.wrongState)
  async remove(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<RemovedTemplateAnswer> {
    await this.commands.execute(new RemoveTemplateCommand(account.id, readTemplateId(id)));
    return { success: true, message: 'Template deleted successfully' };
  }
}
