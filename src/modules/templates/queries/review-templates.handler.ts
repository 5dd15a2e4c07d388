import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { AccountDirectory } from '../../accounts/index.js';
import { TemplateLibrary } from '../persistence/template-library.js';
import { TemplateControllerEntity, TemplateEntity } from '../persistence/template.entities.js';
import { type ReviewedTemplate, type ReviewPage, ReviewTemplatesQuery } from './review-templates.query.js';
import { storedRecord } from './template-record.js';

@QueryHandler(ReviewTemplatesQuery)
export class ReviewTemplatesHandler implements IQueryHandler<ReviewTemplatesQuery> {
  constructor(
    @InjectRepository(TemplateEntity) private readonly templates: Repository<TemplateEntity>,
    @InjectRepository(TemplateControllerEntity) private readonly controllers: Repository<TemplateControllerEntity>,
    private readonly library: TemplateLibrary,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute(query: ReviewTemplatesQuery): Promise<ReviewPage> {
    const [found, total] = await this.templates.findAndCount({
      select: { id: true },
      where: query.wanted ?? {},
      order: { id: 'DESC' },
      skip: (query.page - 1) * query.limit,
      take: query.limit,
    });
    return {
      templates: this.views(
        found.map(({ id }) => id),
        query.timeZone,
      ),
      total,
    };
  }

  private async *views(ids: number[], timeZone: string): AsyncGenerator<ReviewedTemplate[], void, undefined> {
    for await (const rows of this.library.rows(ids)) {
      const controllers = await this.controllers.findBy({ templateId: In(rows.map(({ id }) => id)) });
      const byTemplate = new Map(controllers.map((controller) => [controller.templateId, controller]));
      yield await Promise.all(rows.map((row) => this.view(row, byTemplate.get(row.id), timeZone)));
    }
  }

  private async view(
    row: TemplateEntity,
    controller: TemplateControllerEntity | undefined,
    timeZone: string,
  ): Promise<ReviewedTemplate> {
    const account = await this.accounts.byId(row.accountId);
    return {
      ...storedRecord(row, { username: account?.username ?? '', timeZone }),
      header_text: row.headerText,
      header_example_url: row.headerExampleUrl,
      body_examples: JSON.parse(row.bodyExamples) as string[],
      reason: row.reason,
      revision: row.revision,
      template_controller_id: controller?.id ?? 0,
      controller_type: controller?.type ?? '',
      controller_status: controller?.controllerStatus ?? '',
      upstream_id: row.upstreamId,
    };
  }
}
