/** One contract that is gone, or new. */
export interface Candidate<Contract> {
  readonly name: string
  readonly contract: Contract
}

/** Of what is gone the name that it seems to have now, and of what is new the one that it seems to have had. */
export interface Renames {
  readonly to: ReadonlyMap<string, string>
  readonly from: ReadonlyMap<string, string>
}

/**
 * Finds what seems to be there under another name: where one alone of what is gone is like one alone of what is new.
 *
 * @param likeness from the closest to the loosest: what one of them leaves open another may decide
 */
export function renamesOf<Contract>(
  gone: readonly Candidate<Contract>[],
  added: readonly Candidate<Contract>[],
  likeness: readonly ((was: Contract, is: Contract) => boolean)[],
): Renames {
  const [to, from] = [new Map<string, string>(), new Map<string, string>()]
  for (const isLike of likeness) {
    const left = added.filter(({ name }) => !from.has(name))
    const likes = gone
      .filter(({ name }) => !to.has(name))
      .map((was) => ({ was, alike: left.filter((is) => isLike(was.contract, is.contract)) }))
    const claims = new Map<string, number>()
    for (const { name } of likes.flatMap(({ alike }) => alike)) claims.set(name, (claims.get(name) ?? 0) + 1)
    for (const { was, alike } of likes) {
      const [is, ...others] = alike
      if (is === undefined || others.length > 0 || claims.get(is.name) !== 1) continue
      to.set(was.name, is.name)
      from.set(is.name, was.name)
    }
  }
  return { to, from }
}
