/** The name, or the first of `Name2`, `Name3` that is free. */
export function unusedName(wanted: string, isFree: (name: string) => boolean): string {
  if (isFree(wanted)) return wanted
  let number = 2
  while (!isFree(`${wanted}${number}`)) number += 1
  return `${wanted}${number}`
}
