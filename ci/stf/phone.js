// Loaded before STF's own code (node -r): its worker of a phone runs as it is, but for what its STFService.apk,
// minicap, minitouch and minirev do on hardware. Those are answered here, and nobody waits until a phone booted.
'use strict'

const {EventEmitter} = require('events')
const Module = require('module')

const ANSWERS = {
  getDisplay: {id: 0, width: 1080, height: 2400, xdpi: 400, ydpi: 400, fps: 60, density: 2.6, rotation: 0, secure: true, size: 6},
  getProperties: {imei: null, imsi: null, phoneNumber: null, iccid: null, network: null},
  getBrowsers: {selected: false, apps: []},
}

/** The service of a phone on which everything is done at once. */
function service(promises) {
  const answer = (name) => () => promises.resolve(ANSWERS[name] || true)
  const known = (on, name) => name in on || typeof name !== 'string' || name === 'then'
  return new Proxy(new EventEmitter(), {get: (on, name) => known(on, name) ? on[name] : answer(name)})
}

const nothing = () => new EventEmitter()
const INSTEAD = {
  'plugins/service': (load) => () => service(load('bluebird')),
  'support/adb': (load) => (options) => load('../../../util/adbutil')(options),
}
for (const unit of ['screen/stream', 'screen/capture', 'vnc/index', 'touch/index', 'forward/index']) {
  INSTEAD[`plugins/${unit}`] = () => nothing
}
for (const unit of ['minicap', 'minitouch', 'minirev', 'service']) {
  INSTEAD[`resources/${unit}`] = () => nothing
}

const load = Module._load
const stands = {}
Module._load = function(request, parent, ...rest) {
  const [, unit] = /units[/\\]device[/\\](.*)\.js$/.exec(Module._resolveFilename(request, parent, ...rest)) || []
  if (!INSTEAD[unit]) {
    return load.call(this, request, parent, ...rest)
  }
  if (!stands[unit]) {
    const near = Module.createRequire(Module._resolveFilename(request, parent))
    stands[unit] = near('@devicefarmer/stf-syrup').serial().define(INSTEAD[unit](near))
  }
  return stands[unit]
}
