/** The longest pause of the carrier that ends after this moment, and before another: when it ended, as milliseconds after the first. */
export function firstAfterPause(seen, at, before = Infinity) {
  const times = [...seen.values()].flat().sort((one, other) => one - other);
  let found = { pause: 0, again: 0 };
  for (let index = 1; index < times.length; index++) {
    const pause = times[index] - times[index - 1];
    const isMeant = times[index] > at && times[index] < before;
    if (isMeant && pause > found.pause) found = { pause, again: times[index] - at };
  }
  return found;
}

/** The longest time without a message between this moment and another, or until the first one after that: milliseconds. */
export function longestSilence(seen, at, before = Infinity) {
  const times = [...seen.values()].flat().sort((one, other) => one - other);
  let longest = 0;
  for (let index = 1; index < times.length; index++) {
    const [from, to] = [Math.max(times[index - 1], at), times[index]];
    if (to > at && from < before) longest = Math.max(longest, to - from);
  }
  return longest;
}
