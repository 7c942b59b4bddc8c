// Loaded before a server that would listen to the whole network at a port of its own choice: so it listens to this machine
// alone, at a port that is free, tells its parent which, and ends with it.
import { Server } from 'node:net'

const { listen } = Server.prototype

Server.prototype.listen = function (_port, ...rest) {
  this.once('listening', () => process.send(this.address().port))
  return listen.call(this, { port: 0, host: '127.0.0.1' }, ...rest)
}

process.once('disconnect', () => process.exit())
