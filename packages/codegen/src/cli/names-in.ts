/** The names in an option that takes several, with commas between. */
export function namesIn(option: string): readonly string[] {
  return option.split(',').flatMap((name) => name.trim() || [])
}
