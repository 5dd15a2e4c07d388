import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { mustHaveSecondFactor } from '../domain/account-policy.js';
import { type Account, loginOf } from '../domain/account.js';
import { factorData, type SecondFactorsData } from './factors.dto.js';
import { FactorStore } from './factors.store.js';

/** Shows the second factors of the acting login. */
export class ShowSecondFactorsQuery extends Query<SecondFactorsData> {
  constructor(readonly actor: Account) {
    super();
  }
}

@QueryHandler(ShowSecondFactorsQuery)
export class ShowSecondFactorsHandler implements IQueryHandler<ShowSecondFactorsQuery> {
  constructor(
    private readonly factors: FactorStore,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async execute({ actor }: ShowSecondFactorsQuery): Promise<SecondFactorsData> {
    const holderId = loginOf(actor).id;
    const [factors, left] = await Promise.all([this.factors.of(holderId), this.factors.codesLeft(holderId)]);
    const isRequired = mustHaveSecondFactor(this.environment.REQUIRE_SECOND_FACTOR, actor);
    return {
      is_required: isRequired,
      is_missing: isRequired && factors.length === 0,
      factors: factors.map((row) => factorData(row, actor.timeZone)),
      recovery_codes_left: left,
    };
  }
}
