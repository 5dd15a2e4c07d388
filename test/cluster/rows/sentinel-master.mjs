import { killDuringCampaign, shownGoal } from '../redis-failover.mjs';

export const name = 'sentinel-master';
export const shown = 'SIGKILL of the Redis master that three sentinels watch, in a campaign of 20,000';
export const goal = shownGoal;
export const needs = ['sentinel'];
export const environment = { RECEIPT_TIMEOUT: '30s' };

export const run = (stage) => killDuringCampaign(stage, () => stage.redis.masters[0]);
