import { commitsCampaign, holdStatement } from '../moments.mjs';

/** Kills an API at the moment that `hold` finds. */
const killAt = (which) => async (scene, seed) => {
  const api = seed.pick(scene.apis);
  await holdStatement(api.ways.database, 'the COMMIT of an acceptance', commitsCampaign, which);
  await api.kill();
  return () => api.start();
};

export default [
  {
    name: 'api-killed',
    shown: 'SIGKILL of an API at a random moment',
    strike: async (scene, seed) => {
      const api = seed.pick(scene.apis);
      await api.kill();
      return () => api.start();
    },
  },
  {
    name: 'api-killed-before-commit',
    shown: 'SIGKILL of an API that has said COMMIT, which the database never hears',
    strike: killAt('statement'),
  },
  {
    name: 'api-killed-after-commit',
    shown: 'SIGKILL of an API between the COMMIT and its answer',
    strike: killAt('answer'),
  },
  {
    name: 'api-frozen',
    shown: 'SIGSTOP of an API, then SIGCONT',
    strike: async (scene, seed) => {
      const api = seed.pick(scene.apis);
      api.freeze();
      return () => api.thaw();
    },
  },
];
