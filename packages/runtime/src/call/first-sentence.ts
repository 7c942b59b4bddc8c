const longest = 120

export function firstSentence(description: string): string {
  const line = description.replaceAll(/\s+/g, ' ').trim()
  const sentence = /^.*?(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?=\s)/u.exec(line)?.[0] ?? line
  if (sentence.length <= longest) return sentence
  return `${sentence.slice(0, longest).replace(/\s+\S*$/u, '')} …`
}
