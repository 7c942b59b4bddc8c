// Started in a project: imports what its arguments name and prints of each what came of it: `true`, or Node's own words.
const outcomes = {}
for (const entry of process.argv.slice(2)) {
  outcomes[entry] = await import(entry).then(
    (module) => Object.keys(module).length > 0,
    (error) => `${error.code}: ${error.message}`,
  )
}
console.log(JSON.stringify(outcomes))
