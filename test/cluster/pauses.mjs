/** The longest pause of the carrier that ends after this moment: when it ended, as milliseconds after it. */
export function firstAfterPause(seen, at) {
  const times = [...seen.values()].flat().sort((one, other) => one - other);
  let found = { pause: 0, again: 0 };
  for (let index = 1; index < times.length; index++) {
    const pause = times[index] - times[index - 1];
    if (times[index] > at && pause > found.pause) found = { pause, again: times[index] - at };
  }
  return found;
}
