const time = 'T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)'
const date = '(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)'
const durationText = new RegExp(`^P(?:${date}(?:${time})?|${time}|\\d+W)$`)

/** Whether a text is a `duration` of RFC 3339, appendix A: whole numbers, units in order and without gaps. */
export function isDuration(text: string): boolean {
  return durationText.test(text)
}
