"""The order of the examples on their page: that in which they are read."""

NAMES = ("first_steps double_pendulum stick_slip catastrophe zeno convergence truss gripper heap calibration fclib_file compare_solvers "
         "environment").split()


class ExampleOrder:
    """A sort key for sphinx-gallery; new examples come last."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, file):
        name = file.removesuffix(".py")
        return (NAMES.index(name) if name in NAMES else len(NAMES), name)

    def __repr__(self):
        return "<ExampleOrder>"
