import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Template } from '../domain/template.js';
import { statusAfter, type TemplateMove } from '../domain/template-status.js';
import { TemplateStore } from '../persistence/template-store.js';

/**
 * What a status reported by the upstream does to a template (reference/templates#statuses); an approval also ends a pause.
 * Others do nothing.
 */
const MOVES: ReadonlyMap<string, readonly TemplateMove[]> = new Map([
  ['APPROVED', ['approve', 'resume']],
  ['REJECTED', ['reject']],
  ['PAUSED', ['pause']],
  ['DISABLED', ['disable']],
]);

/** Lets a template follow the upstream's review. */
@Injectable()
export class UpstreamReviews {
  constructor(private readonly store: TemplateStore) {}

  /**
   * @param template locked
   * @param reported the upstream's status, upper case; one that the template's status does not allow is ignored, so
   * repeated and late ones are harmless
   */
  async follow(tx: EntityManager, template: Template, reported: string, reason: string | null): Promise<void> {
    for (const move of MOVES.get(reported) ?? []) {
      const status = statusAfter(move, template.status);
      if (status !== null) return this.store.move(tx, template, status, reason);
    }
  }
}
