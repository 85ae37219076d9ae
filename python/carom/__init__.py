"""carom: nonsmooth mechanics. Contact, impact and dry friction, with a certificate for every run.

>>> import carom
>>> run = carom.read_scene("scenes/pendulum_wall.toml").run()
>>> print(run.status, len(run.events) > 0)
certified True

docs/how-to/python.md is the guide; names, units and defaults are those of scenes and of C++.
"""

from . import convex as convex
from . import impact as impact
from ._bodies import BodyTrack
from ._builders import Body, Draw, Group, Joint, Lattice, Load, Material, MaterialPair, Shape, ShapePart, Spring
from ._carom import Snapshot as SimulationSnapshot
from ._carom import Step
from ._carom import scene_schema as scene_schema
from ._carom import version as __version__
from ._certificate import Certificate, Finding
from ._errors import Error, Interrupted, Mistake
from ._events import Event, Events
from ._examples import example_scene, example_scenes
from ._frames import BodyContacts, Columns, ContactTrack, Snapshot, StepContact
from ._figure import Figure, FigureNumber
from ._inspect import Hypothesis, Inspection, inspect
from ._orbit import (
    Branch,
    Curve,
    Equilibria,
    Equilibrium,
    EquilibriumBranch,
    Lyapunov,
    NotDifferentiable,
    Orbit,
    Sensitivities,
    SensitiveEvent,
    SensitiveState,
    SpecialPoint,
    branch,
    equilibria,
    lyapunov,
    orbit,
    sensitivities,
)
from ._page import Page
from ._plot import style as style
from ._run import Run
from ._running import open_recording as open
from ._running import resume
from ._scene import Scene, import_urdf, read_scene, scene
from ._simulation import Simulation, State
from ._solve import Comparison, Problem, Solution, compare, solve, solvers
from ._study import Attractor, Order, StudyTable, study
from ._system import Constraint, Contact, Coordinate, Probe, System
from ._trace import (
    arccos,
    arcsin,
    arctan,
    arctan2,
    cos,
    cosh,
    exp,
    hypot,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)

__all__ = [
    "Attractor",
    "Body",
    "BodyContacts",
    "BodyTrack",
    "Branch",
    "Certificate",
    "Columns",
    "Comparison",
    "Constraint",
    "Contact",
    "ContactTrack",
    "Coordinate",
    "Curve",
    "Draw",
    "Equilibria",
    "Equilibrium",
    "EquilibriumBranch",
    "Error",
    "Event",
    "Events",
    "Figure",
    "FigureNumber",
    "Finding",
    "Group",
    "Hypothesis",
    "Inspection",
    "Interrupted",
    "Joint",
    "Lattice",
    "Load",
    "Lyapunov",
    "Material",
    "MaterialPair",
    "Mistake",
    "NotDifferentiable",
    "Orbit",
    "Order",
    "Page",
    "Probe",
    "Problem",
    "Run",
    "Scene",
    "SensitiveEvent",
    "SensitiveState",
    "Sensitivities",
    "Shape",
    "ShapePart",
    "Simulation",
    "SimulationSnapshot",
    "Snapshot",
    "Solution",
    "SpecialPoint",
    "Spring",
    "State",
    "Step",
    "StepContact",
    "StudyTable",
    "System",
    "arccos",
    "arcsin",
    "arctan",
    "arctan2",
    "branch",
    "compare",
    "convex",
    "cos",
    "cosh",
    "equilibria",
    "example_scene",
    "example_scenes",
    "exp",
    "hypot",
    "impact",
    "import_urdf",
    "inspect",
    "log",
    "lyapunov",
    "maximum",
    "minimum",
    "open",
    "orbit",
    "read_scene",
    "resume",
    "scene",
    "scene_schema",
    "sensitivities",
    "sign",
    "sin",
    "sinh",
    "solve",
    "solvers",
    "sqrt",
    "study",
    "style",
    "tan",
    "tanh",
    "where",
]
