/** How many code points a text has; a lone surrogate counts as one. */
export function codePoints(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    const isPair = isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))
    if (isPair) index++
    count++
  }
  return count
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
