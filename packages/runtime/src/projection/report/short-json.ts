/** A value as JSON where that is short enough for a sentence; `undefined` otherwise. Parts that are not to be shown go. */
export function shortJson(
  value: unknown,
  longest: number,
  isShown: (key: string, part: unknown) => boolean = () => true,
): string | undefined {
  const text = JSON.stringify(value, (key, part) => (isShown(key, part) ? part : undefined))
  return text === undefined || text.length > longest ? undefined : text
}
