import { killDuringCampaign, shownGoal } from '../redis-failover.mjs';

export const name = 'redis-cluster-master';
export const shown = 'SIGKILL of the Redis master that has the queue of a campaign of 20,000, in a cluster of 3+3';
export const goal = shownGoal;
export const needs = ['redis-cluster'];
export const environment = { RECEIPT_TIMEOUT: '30s' };

export function run(stage) {
  const key = `{${stage.environment.REDIS_PREFIX}:sms}:sms:wait`;
  return killDuringCampaign(stage, () => stage.redis.masters.find((server) => !/MOVED/.test(server.cli('LLEN', key))));
}
