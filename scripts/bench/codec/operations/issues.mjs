/** A parsed value with several faults → all issues with their facts, in whatever form the contestant gives them. */
export const issues = {
  title: 'all issues of an invalid value',
  checks: true,
  against: 'ajv',
  aims: { small: 3, medium: 0.6, large: 0.4 },
  inputs: ({ faulty }) => faulty.map(({ value }) => JSON.parse(JSON.stringify(value))),
  mistakes(issuesOf, { texts, faulty }, { pointers }) {
    const clean = texts.filter((text) => issuesOf(JSON.parse(text)).length > 0).map(() => 'issues of a valid value')
    const missed = faulty.flatMap(({ value, at }) => {
      const reported = issuesOf(value).flatMap(pointers)
      return [
        ...at.filter((place) => !reported.includes(place)).map((place) => `missed the fault at ${place}`),
        ...reported.filter((place) => !at.includes(place)).map((place) => `an issue at ${place || 'the root'}`),
      ]
    })
    return [...clean, ...missed]
  },
  weigh: (list) => list.length,
}
