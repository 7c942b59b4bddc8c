/** Text cut to so many characters; what was cut off shows as `…`. Never cuts a character in two. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const characters = [...text]
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`
}
