import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { AccountDirectory } from '../../accounts/index.js';
import { templateOf } from '../persistence/template-rows.js';
import { TemplateControllerEntity, TemplateEntity } from '../persistence/template.entities.js';
import { type ReviewedTemplate, ReviewTemplatesQuery } from './review-templates.query.js';
import { templateRecord } from './template-record.js';

@QueryHandler(ReviewTemplatesQuery)
export class ReviewTemplatesHandler implements IQueryHandler<ReviewTemplatesQuery> {
  constructor(
    @InjectRepository(TemplateEntity) private readonly templates: Repository<TemplateEntity>,
    @InjectRepository(TemplateControllerEntity) private readonly controllers: Repository<TemplateControllerEntity>,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute(query: ReviewTemplatesQuery): Promise<{ templates: ReviewedTemplate[]; total: number }> {
    const [rows, total] = await this.templates.findAndCount({
      where: query.wanted ?? {},
      order: { id: 'DESC' },
      skip: (query.page - 1) * query.limit,
      take: query.limit,
    });
    const controllers = await this.controllers.findBy({ templateId: In(rows.map(({ id }) => id)) });
    const byTemplate = new Map(controllers.map((controller) => [controller.templateId, controller]));
    const templates = await Promise.all(rows.map((row) => this.view(row, byTemplate.get(row.id), query.timeZone)));
    return { templates, total };
  }

  private async view(
    row: TemplateEntity,
    controller: TemplateControllerEntity | undefined,
    timeZone: string,
  ): Promise<ReviewedTemplate> {
    const template = templateOf(row);
    const account = await this.accounts.byId(row.accountId);
    return {
      ...templateRecord(template, { username: account?.username ?? '', timeZone }),
      header_text: template.headerText,
      header_example_url: template.headerExampleUrl,
      body_examples: template.bodyExamples,
      reason: template.reason,
      revision: template.revision,
      template_controller_id: controller?.id ?? 0,
      controller_type: controller?.type ?? '',
      controller_status: controller?.controllerStatus ?? '',
      upstream_id: template.upstreamId,
    };
  }
}
