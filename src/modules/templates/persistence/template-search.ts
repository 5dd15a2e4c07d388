import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { likePrefix, spellings } from '../../../kernel/search-text.js';
import type { Template } from '../domain/template.js';
import { templateOf } from './template-rows.js';
import { TemplateEntity } from './template.entities.js';

/** Templates by the beginning of their name. */
@Injectable()
export class TemplateSearch {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @param accountId whose; null = everybody's @returns the newest of each spelling first */
  async find(text: string, accountId: number | null, limit: number): Promise<Template[]> {
    const [index, owner] = accountId === null ? ['ix_templates_name', ''] : ['uq_templates_name', 'account_id = ? AND'];
    const looks = spellings(text).map(
      () => `(SELECT id FROM templates FORCE INDEX (${index}) WHERE ${owner} name LIKE ? ORDER BY name LIMIT ?)`,
    );
    const values = spellings(text).flatMap((spelling) => [
      ...(accountId === null ? [] : [accountId]),
      Buffer.from(likePrefix(spelling)),
      limit,
    ]);
    const rows: { id: number }[] = await this.dataSource.query(`${looks.join(' UNION ')} LIMIT ?`, [...values, limit]);
    const found = await this.dataSource.getRepository(TemplateEntity).findBy({ id: In(rows.map(({ id }) => id)) });
    return found.map(templateOf).sort((a, b) => b.id - a.id);
  }
}
